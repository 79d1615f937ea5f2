extension AssignedNumberTable {
  /// A choice of company identifiers (Assigned Numbers, 7.1).
  static let companies = AssignedNumberTable(
    """
    0000 Ericsson AB
    0001 Nokia Mobile Phones
    0002 Intel Corp.
    0003 IBM Corp.
    0004 Toshiba Corp.
    0005 3Com
    0006 Microsoft
    0008 Motorola
    0009 Infineon Technologies AG
    000A Qualcomm Technologies International, Ltd. (QTIL)
    000D Texas Instruments Inc.
    000F Broadcom Corporation
    0013 Atmel Corporation
    0014 Mitsubishi Electric Corporation
    001D Qualcomm
    0022 NEC Corporation
    0025 NXP B.V.
    0029 Hitachi Ltd
    0036 Renesas Electronics Corporation
    003A Panasonic Holdings Corporation
    003C BlackBerry Limited
    0040 Seiko Epson Corporation
    0046 MediaTek, Inc.
    0048 Marvell Technology Group Ltd.
    004C Apple, Inc.
    0055 Plantronics, Inc.
    0056 Sony Ericsson Mobile Communications
    0057 Harman International Industries, Inc.
    0059 Nordic Semiconductor ASA
    005C Belkin International, Inc.
    005D Realtek Semiconductor Corporation
    0065 HP, Inc.
    0067 GN Audio A/S
    0068 General Motors
    0069 A&D Engineering, Inc.
    006B Polar Electro OY
    0075 Samsung Electronics Co. Ltd.
    0077 Laird Connectivity LLC
    0078 Nike, Inc.
    0087 Garmin International, Inc.
    0089 GN Hearing A/S
    008A Jawbone
    0095 NEC Lighting, Ltd.
    009E Bose Corporation
    009F Suunto Oy
    00A3 Meta Watch Ltd.
    00B8 Qualcomm Innovation Center, Inc. (QuIC)
    00BA Starkey Hearing Technologies
    00C3 adidas AG
    00C4 LG Electronics
    00CC Beats Electronics
    00CD Microchip Technology Inc.
    00D0 Dexcom, Inc.
    00D1 Polar Electro Europe B.V.
    00D2 Dialog Semiconductor B.V.
    00D6 Timex Group USA, Inc.
    00D7 Qualcomm Technologies, Inc.
    00D8 Qualcomm Connected Experiences, Inc.
    00DC Procter & Gamble
    00DF Misfit Wearables Corp
    00E0 Google
    0100 TomTom International BV
    0103 Bang & Olufsen A/S
    010E Audi AG
    0118 Radius Networks, Inc.
    011A Qualcomm Labs, Inc.
    011B Hewlett Packard Enterprise
    011F Volkswagen AG
    0124 HID Global
    012D Sony Corporation
    012E ASSA ABLOY
    0131 Cypress Semiconductor
    0133 Blue Maestro Limited
    013C Murata Manufacturing Co., Ltd.
    0154 Pebble Technology
    0157 Anhui Huami Information Technology Co., Ltd.
    015D Estimote, Inc.
    0170 Roche Diabetes Care AG
    0171 Amazon.com Services LLC
    0178 CASIO COMPUTER CO., LTD.
    017C Mercedes-Benz Group AG
    018E Fitbit, Inc.
    0190 Intelletto Technologies Inc.
    01A9 Canon Inc.
    01AB Meta Platforms, Inc.
    01B5 Nest Labs Inc.
    01BA Stages Cycling LLC
    01BB Cochlear Bone Anchored Solutions AB
    01D1 August Home, Inc
    01DA Logitech International SA
    01F1 Zebra Technologies Corporation
    01F9 Medtronic Inc.
    01FC Wahoo Fitness, LLC
    01FD Kontakt Micro-Location Sp. z o.o.
    0208 LumiGeek LLC
    020E Omron Healthcare Co., LTD
    0211 Telink Semiconductor Co. Ltd
    021B Cisco Systems, Inc
    0225 Nestlé Nespresso S.A.
    022B Tesla, Inc.
    022E Siemens AG
    0243 Masimo Corp
    024F Schneider Schreibgeräte GmbH
    027D HUAWEI Technologies Co., Ltd.
    02A6 Robert Bosch GmbH
    02B2 Oura Health Oy
    02B6 Schneider Electric
    02C5 Lenovo (Singapore) Pte Ltd.
    02D5 OMRON Corporation
    02E5 Espressif Systems (Shanghai) Co., Ltd.
    02EE Citizen Holdings Co., Ltd.
    02F2 GoPro, Inc.
    02FF Silicon Laboratories
    0315 Thermo Fisher Scientific
    031F MetaSystem S.p.A.
    0360 Insulet Corporation
    0381 Sharp Corporation
    038F Xiaomi Inc.
    0397 LEGO System A/S
    0399 Nikon Corporation
    03B6 Mattel
    03BB Abbott
    03C2 Snapchat Inc
    03E3 Qualcomm Life Inc
    03FF Withings
    041E Dell Computer Corporation
    0430 SnapStyk Inc.
    043E Thermomedics, Inc.
    0444 Metanate Limited
    0497 Cochlear Limited
    0499 Ruuvi Innovations Ltd.
    04AD Shure Inc
    04D0 Olympus Corporation
    04D8 FUJIFILM Corporation
    04E3 Under Armour
    04EC Motorola Solutions
    0501 Polaris IND
    0526 Honeywell International Inc.
    0537 MetaLogics Corporation
    0553 Nintendo Co., Ltd.
    055D Valve Corporation
    0569 Audionics System, INC.
    058E Meta Platforms Technologies, LLC
    059D Tandem Diabetes Care
    05A7 Sonos Inc
    05E4 Taiyo Yuden Co., Ltd
    05EB Bayerische Motoren Werke AG
    05F1 The Linux Foundation
    060F Signify Netherlands B.V.
    0611 Beurer GmbH
    0618 Audio-Technica Corporation
    067C Tile, Inc.
    06BD ABB Oy
    06D5 Sensirion AG
    06DD Intellithings Ltd.
    0710 Audiodo AB
    0723 Ford Motor Company
    072F OnePlus Electronics (Shenzhen) Co., Ltd.
    0755 Brother Industries, Ltd
    0768 Peloton Interactive Inc.
    079A GuangDong Oppo Mobile Telecommunications Corp., Ltd.
    079C Sky UK Limited
    07A2 Roku, Inc.
    07C9 Skullcandy, Inc.
    07DF Snap-on Incorporated
    082E ABB S.p.A.
    0837 vivo Mobile Communication Co., Ltd.
    0896 Nokian Renkaat Oyj
    08A6 Intelligenceworks Inc.
    08B7 ABB Inc
    0915 Honda Motor Co., Ltd.
    091B Luminostics, Inc.
    0933 SRAM
    0969 Woan Technology (Shenzhen) Co., Ltd.
    09AC Ambiq
    09D9 VivoSensMedical GmbH
    0A9D Canon Finetech Nisca Inc.
    0AAB Anhui Listenai Co
    0B0E Honda Lock Mfg. Co.,Ltd.
    0B11 ThermoWorks, Inc.
    0B27 Lumi United Technology Co., Ltd
    0B9E Audio Partnership Plc
    0BA6 Nissan Motor Co., Ltd.
    0BA9 Allterco Robotics ltd
    0BDE Yale
    0C35 Thermokon-Sensortechnik GmbH
    0C7F Rochester Sensors, LLC
    """)
}
